// Shows the messages that the house sends, and opens their pages. It keeps and serves nothing.
self.addEventListener("push", (event) => {
  const { title, body, path, tag } = event.data.json();
  event.waitUntil(self.registration.showNotification(title, { body, tag, data: { path } }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const address = new URL(event.notification.data.path, self.location.origin);
  event.waitUntil(open(address));
});

async function open(address) {
  const windows = await self.clients.matchAll({ type: "window" });
  const here = windows.find((each) => new URL(each.url).pathname === address.pathname);
  return here ? here.focus() : self.clients.openWindow(address.href);
}
