import { callerFlags, callerIn } from '../explain.ts';
import type { Command } from '../runner/command.ts';
import { table } from '../runner/output.ts';

/** As the API shows it. */
interface MatrixView {
  readonly subjects: readonly { readonly name: string }[];
  readonly endpoints: readonly {
    readonly methods: readonly string[];
    readonly path: string;
    readonly access: Readonly<Record<string, CellView>>;
  }[];
}

interface CellView {
  readonly outcome: 'allowed' | 'partly' | 'refused';
  readonly names?: readonly string[];
}

export const accessCommand: Command = {
  isOnApi: true,
  name: 'access matrix',
  summary: 'Shows which calls each role, or one user or client, may make.',
  flags: callerFlags,
  details: [
    'Without a flag for every role. --json tells of a running console at which members a group is off, too.',
  ],
  async run(input, { api }) {
    const query = callerIn(input);
    const { body } = await api.call('readAccessMatrix', { query });
    const matrix = body as MatrixView;
    const rows = matrix.endpoints.map(({ methods, path, access }) => [
      methods.join(','),
      path,
      ...matrix.subjects.map(({ name }) => inWords(access[name])),
    ]);
    const headings = ['METHODS', 'PATH', ...matrix.subjects.map(({ name }) => name)];
    return { text: table(headings, rows, ''), json: matrix };
  },
};

function inWords(cell: CellView | undefined): string {
  if (cell?.outcome === 'partly') return (cell.names ?? []).join(' ');
  return cell?.outcome === 'allowed' ? 'yes' : '-';
}
