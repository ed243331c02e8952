/** Lines over the size of a store, both axes logarithmic, as SVG. */

export interface PlotLine {
  readonly label: string;
  /** One for each size. */
  readonly values: readonly number[];
}

export interface Plot {
  readonly title: string;
  readonly unit: string;
  readonly sizes: readonly number[];
  readonly lines: readonly PlotLine[];
}

const [width, height] = [860, 480];
const area = { left: 76, right: 238, top: 48, bottom: 44 };
/** Of lines, on light and on dark ground. */
const colours = [
  ['#0b62a4', '#6cb6f0'],
  ['#c2410c', '#fb9a6c'],
  ['#15803d', '#6ee79a'],
  ['#7e22ce', '#c79bf5'],
  ['#a16207', '#f0c24a'],
  ['#0e7490', '#5fd3ee'],
  ['#be123c', '#fb7f9d'],
  ['#4d4d4d', '#c4c4c4'],
] as const;
const inColours = (shade: 0 | 1) =>
  colours.map((pair, i) => `.line-${i} { stroke: ${pair[shade]}; fill: ${pair[shade]}; }`).join(' ');
const style = `<style>
text { font: 13px system-ui, sans-serif; fill: #53625b; stroke: none; } g text { fill: inherit; } .title { font-weight: 600; fill: #14211c; }
.ground { fill: #ffffff; } .grid { stroke: #d5ddd8; } polyline { fill: none; stroke-width: 2; }
${inColours(0)}
@media (prefers-color-scheme: dark) { .ground { fill: #0e1412; } .grid { stroke: #3c4a44; } text { fill: #a1b0a9; } .title { fill: #e7eeea; }
${inColours(1)} }
</style>`;
/** Labels at the ends of lines keep this far apart. */
const labelStep = 17;

export function plotAsSvg({ title, unit, sizes, lines }: Plot): string {
  const all = lines.flatMap(({ values }) => values);
  const x = scale([sizes[0]!, sizes.at(-1)!], [area.left, width - area.right]);
  const range = [powerBelow(Math.min(...all)), powerAbove(Math.max(...all))] as const;
  const y = scale(range, [height - area.bottom, area.top]);
  const ends = spreadOut(lines.map(({ values }) => y(values.at(-1)!)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">`,
    style,
    `<rect width="${width}" height="${height}" class="ground"/>`,
    `<text x="${area.left}" y="26" class="title">${title}</text>`,
    ...powersIn(range).map((power) => horizontal(y(power), `${numberOf(power)} ${unit}`)),
    ...sizes.map((size) => vertical(x(size), size.toLocaleString('en'))),
    ...lines.flatMap(({ label, values }, i) => {
      const points = values.map((value, at) => `${round(x(sizes[at]!))},${round(y(value))}`);
      return [
        `<g class="line-${i % colours.length}"><polyline points="${points.join(' ')}"/>`,
        ...points.map(dot),
        `<text x="${width - area.right + 12}" y="${round(ends[i]! + 4)}">${label}</text></g>`,
      ];
    }),
    '</svg>',
    '',
  ].join('\n');
}

function scale([from, to]: readonly [number, number], [start, end]: readonly [number, number]) {
  const span = Math.log(to / from) || 1;
  return (value: number) => start + (Math.log(value / from) / span) * (end - start);
}

function horizontal(y: number, label: string): string {
  return (
    `<line x1="${area.left}" x2="${width - area.right}" y1="${round(y)}" y2="${round(y)}" class="grid"/>` +
    `<text x="${area.left - 8}" y="${round(y + 4)}" text-anchor="end">${label}</text>`
  );
}

function vertical(x: number, label: string): string {
  return (
    `<line x1="${round(x)}" x2="${round(x)}" y1="${area.top}" y2="${height - area.bottom}" class="grid"/>` +
    `<text x="${round(x)}" y="${height - area.bottom + 20}" text-anchor="middle">${label}</text>`
  );
}

function dot(point: string): string {
  const [x, y] = point.split(',');
  return `<circle cx="${x}" cy="${y}" r="3"/>`;
}

/** Moves labels down until none covers another. */
function spreadOut(wanted: readonly number[]): number[] {
  const placed = [...wanted];
  let last = Number.NEGATIVE_INFINITY;
  for (const i of [...wanted.keys()].sort((a, b) => wanted[a]! - wanted[b]!)) {
    last = Math.max(wanted[i]!, last + labelStep);
    placed[i] = last;
  }
  return placed;
}

function powersIn([from, to]: readonly [number, number]): number[] {
  const count = Math.round(Math.log10(to / from)) + 1;
  return Array.from({ length: count }, (_, i) => from * 10 ** i);
}

function powerBelow(value: number): number {
  return 10 ** Math.floor(Math.log10(value));
}

function powerAbove(value: number): number {
  return 10 ** Math.ceil(Math.log10(value));
}

function numberOf(power: number): string {
  return power >= 1 ? power.toLocaleString('en') : String(Number(power.toPrecision(1)));
}

function round(value: number): string {
  return value.toFixed(1);
}
