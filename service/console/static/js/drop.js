// A file that is chosen or dropped on a list is read into its field. Nothing is sent before the form
// is. A spreadsheet may write its own encoding instead of UTF-8.
const read = (bytes) => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
};

for (const place of document.querySelectorAll("[data-drop]")) {
  const field = place.querySelector("textarea");
  const choice = place.querySelector("[data-file]");
  const take = async (file) => {
    field.value = read(await file.arrayBuffer());
    field.focus();
  };
  choice.hidden = false;
  choice.querySelector("input").addEventListener("change", (event) => {
    const [file] = event.target.files;
    if (file) take(file);
  });
  place.addEventListener("dragover", (event) => event.preventDefault());
  place.addEventListener("drop", (event) => {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    take(file);
  });
}
