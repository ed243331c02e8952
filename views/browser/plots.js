// Draws the plots of a page from what stands in `data-plot`, anew when that changes. Without it their tables are there.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

const drawn = new Map();
const dashes = [[], [6, 3], [2, 3], [8, 3, 2, 3]];
const { lang } = document.documentElement;
const locale = lang === 'en' ? 'en-GB' : lang;
const least = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 });
const height = 180;
// That of the browser where none was chosen.
const timeZone = document.documentElement.dataset.zone;
const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', timeZone });
const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', timeZone });
const said = (format, seconds) => (seconds === null ? '–' : format.format(new Date(seconds * 1000)));

const changes = new MutationObserver((records) => {
  for (const { target } of records) update(target);
});
const sizes = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) {
    const width = Math.floor(contentRect.width);
    const plot = drawn.get(target);
    if (plot && width > 0 && width !== plot.width) plot.setSize({ width, height });
  }
});

function drawAll() {
  for (const [area, plot] of drawn) {
    if (area.isConnected) continue;
    plot.destroy();
    drawn.delete(area);
  }
  for (const area of document.querySelectorAll('[data-plot]')) if (!drawn.has(area)) draw(area);
}

function draw(area) {
  const reported = JSON.parse(area.dataset.plot);
  const style = getComputedStyle(area);
  const colour = (name) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--muted'),
    font: '12px system-ui, sans-serif',
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line'), width: 1 },
  };
  const options = {
    width: Math.max(200, Math.floor(area.clientWidth)),
    height,
    // It begins at zero, so that twice as high is twice as much.
    scales: { y: { range: (_plot, _least, most) => [0, most > 0 ? most * 1.1 : 1] } },
    axes: [
      { ...axis, values: (_plot, ticks) => ticks.map((tick) => said(clock, tick)) },
      { ...axis, size: 56, values: (_plot, ticks) => ticks.map((tick) => least.format(tick)) },
    ],
    series: [
      { label: reported.time, value: (_plot, seconds) => said(moment, seconds) },
      ...reported.lines.map(({ name }, at) => ({
        label: name,
        stroke: at < 4 ? colour(`--plot-${at + 1}`) : colour('--edge'),
        dash: dashes[at % 4],
        width: 1.5,
        // What is not known is a gap; a value between two of them has no line, so that it is a point.
        spanGaps: false,
        points: { filter: (plot, series, areShown) => (areShown ? null : alone(plot.data[series])) },
        value: (_plot, value) => (value === null ? '–' : `${least.format(value)}${reported.unit}`),
      })),
    ],
    cursor: { y: false },
  };
  area.replaceChildren();
  drawn.set(area, new uPlot(options, dataOf(reported), area));
  changes.observe(area, { attributes: true, attributeFilter: ['data-plot'] });
  sizes.observe(area);
}

/** Places of values without a neighbour; null: there are none. */
function alone(values) {
  const isKnown = (at) => values[at] !== null && values[at] !== undefined;
  const places = [...values.keys()].filter((at) => isKnown(at) && !isKnown(at - 1) && !isKnown(at + 1));
  return places.length > 0 ? places : null;
}

function dataOf({ from, step, lines }) {
  const count = lines[0]?.values.length ?? 0;
  return [Array.from({ length: count }, (_, at) => from + at * step), ...lines.map(({ values }) => values)];
}

function update(area) {
  const plot = drawn.get(area);
  const reported = JSON.parse(area.dataset.plot);
  if (plot && plot.series.length === reported.lines.length + 1) plot.setData(dataOf(reported));
  else draw(area);
}

// Colours are those of the theme.
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  for (const [area, plot] of drawn) {
    plot.destroy();
    drawn.delete(area);
    draw(area);
  }
});
// What is live may bring plots, and take them away.
document.addEventListener('parts', drawAll);
drawAll();
