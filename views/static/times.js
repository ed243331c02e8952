// Shows times in the zone of the browser, where its person has chosen no other: the page says them in UTC by name.
const { lang } = document.documentElement;
const format = new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});
const isChosen = document.documentElement.dataset.zone !== undefined;
for (const time of isChosen ? [] : document.querySelectorAll('time[datetime]')) {
  const here = format.format(new Date(time.dateTime)).replace(/ (?:at|um) /, ', ');
  // How long ago it was says more than when.
  if (time.dataset.relative !== undefined) {
    time.title = here;
    continue;
  }
  time.title = time.textContent;
  time.textContent = here;
}
