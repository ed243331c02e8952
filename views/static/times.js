// Says in which zone this browser is, so that the next page has its times in it. On this one they stay in UTC by name: times that
// are written anew when they have been painted move what stands beside them.
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
const said = `console_zone=${encodeURIComponent(timeZone)}`;
if (timeZone && !document.cookie.split('; ').includes(said)) {
  const secure = location.protocol.startsWith('https') ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: what takes its place is not in all browsers
  document.cookie = `${said}; Path=/; SameSite=Lax; Max-Age=${365 * 86_400}${secure}`;
}
