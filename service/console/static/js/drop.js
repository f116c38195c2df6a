// A file that is dropped on a list is read into its field. Nothing is sent before the form is.
for (const place of document.querySelectorAll("[data-drop]")) {
  const field = place.querySelector("textarea");
  place.addEventListener("dragover", (event) => event.preventDefault());
  place.addEventListener("drop", async (event) => {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    field.value = await file.text();
    field.focus();
  });
}
