/** Every page is travelled to in Chromium: by mouse, by keyboard alone and without script. */
import { expect, test } from 'vitest';
import { siteMap } from '../../../console/pages/site-map.ts';
import { textsIn } from '../../../views/texts/text.ts';
import { describeJourneys } from './journeys.ts';
import { journeys } from './table.ts';

test('there is a journey for each page of the map', () => {
  const t = textsIn('en');
  const pages = siteMap.flatMap(({ title, pages: own }) => [t(title), ...own.map((page) => t(page.title))]);
  expect(pages.filter((title) => !journeys.some(({ page }) => page === title))).toEqual([]);
});

await describeJourneys('Chromium');
