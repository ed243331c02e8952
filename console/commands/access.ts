import type { MatrixCell } from '../../member-proxy/authorization/matrix.ts';
import { askedIn, principalFlags, questionsOf } from './explain.ts';
import type { Command } from './runner/command.ts';
import { table } from './runner/output.ts';

export const accessCommand: Command = {
  name: 'access matrix',
  summary: 'Shows which calls each role, or one user or client, may make.',
  flags: principalFlags,
  details: [
    'Without a flag for every role. No member is asked: GET /api/v1/access/matrix of a running console also tells at\n' +
      'which members a group is off.',
  ],
  async run(input, tools) {
    const matrix = await (await questionsOf(tools)).matrix(askedIn(input), []);
    const rows = matrix.endpoints.map(({ methods, path, access }) => [
      methods.join(','),
      path,
      ...matrix.subjects.map(({ name }) => inWords(access[name])),
    ]);
    const headings = ['METHODS', 'PATH', ...matrix.subjects.map(({ name }) => name)];
    return { text: table(headings, rows, ''), json: matrix };
  },
};

function inWords(cell: MatrixCell | undefined): string {
  if (cell?.outcome === 'partly') return (cell.names ?? []).join(' ');
  return cell?.outcome === 'allowed' ? 'yes' : '-';
}
