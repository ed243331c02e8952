import type { FrameModel } from '../../views/management/frame.tsx';
import { renderAbout } from '../../views/management/settings/about.tsx';
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
    about: (filling) =>
      renderAbout({
        frame: frameOf(filling),
        installation: {
          id: filling.text,
          version: filling.text,
          nodeVersion: filling.text,
          platform: filling.text,
          workers: 1,
          startedAt: '2025-11-21T08:23:00Z',
          store: { engine: filling.text, format: 3, registryFormat: 2 },
          libraries: [{ name: filling.text, version: filling.text, licence: filling.text }],
        },
        backup: { createdAt: '2025-11-21T08:23:00Z' },
        licence: { id: filling.text, holder: filling.text, edition: filling.text, expiresAt: null },
      }),
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
                isEnglish: false,
                calls: [
                  {
                    ...{ method: 'GET', path: filling.text, summary: filling.text, scope: filling.text },
                    isEnglish: true,
                  },
                ],
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
