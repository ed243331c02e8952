// Shows times in the zone of whoever reads them; the page says them in UTC where this does not run.
const format = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});
for (const time of document.querySelectorAll('time[datetime]')) {
  const here = format.format(new Date(time.dateTime)).replace(' at ', ', ');
  // How long ago it was says more than when.
  if (time.dataset.relative !== undefined) {
    time.title = here;
    continue;
  }
  time.title = time.textContent;
  time.textContent = here;
}
