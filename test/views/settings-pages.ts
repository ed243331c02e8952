import type { FrameModel } from '../../views/management/frame.tsx';
import { renderApi } from '../../views/management/settings/api.tsx';
import { renderStart, type ShownStep } from '../../views/management/settings/start.tsx';
import type { Filling } from './filling.ts';

export function stepsOf({ text }: Filling): readonly ShownStep[] {
  const said = { title: text, about: text, found: text };
  return [
    { id: 'administrator', ...said, state: 'done', link: { label: text, href: '/access/users' } },
    { id: 'provider', ...said, state: 'later', command: text },
    { id: 'backup', ...said, state: 'open', link: { label: text, href: '/observe/jobs' } },
  ];
}

/** The pages of Settings with every field of their models filled. */
export function settingsPages(
  frameOf: (filling: Filling) => FrameModel,
): Readonly<Record<string, (filling: Filling) => string>> {
  return {
    API: (filling) =>
      renderApi({
        frame: frameOf(filling),
        interfaces: [
          {
            id: 'console',
            title: filling.text,
            version: filling.text,
            about: filling.text,
            href: '/api/openapi.json',
            groups: [
              {
                name: 'users',
                about: filling.text,
                calls: [{ method: 'GET', path: filling.text, summary: filling.text, scope: filling.text }],
              },
            ],
          },
        ],
      }),
    'get started': (filling) =>
      renderStart({
        frame: frameOf(filling),
        steps: stepsOf(filling),
        csrf: filling.text,
        backupKey: filling.text,
      }),
  };
}
