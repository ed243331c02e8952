/** A call to all members is audited as what became of it, which its status alone does not tell. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { startRecorder, unusedAddress } from '../member-proxy/servers.ts';

type Member = Awaited<ReturnType<typeof startRecorder>>;

/** What each of the two answers next. */
const answers = [200, 200];
let members: readonly Member[];
let console: RunningConsole;
let token: string;

beforeAll(async () => {
  members = await Promise.all(
    answers.map((_, i) =>
      startRecorder((req, res) => {
        res.statusCode = req.method === 'POST' ? answers[i]! : 200;
        res.end('{}');
      }),
    ),
  );
  console = await startConsole({ env: { CONSOLE_MEMBERS: members.map(({ address }) => address).join() } });
  token = await machineToken(console);
});
afterAll(async () => {
  await console?.stop();
  await Promise.all(members.map(({ close }) => close()));
});

const path = '/svc/rest/wan/pausePublisher';
const hostOf = ({ address }: Pick<Member, 'address'>) => new URL(address).host;

async function pauseAt(at: Pick<RunningConsole, 'url' | 'log' | 'waitFor'>, bearer: string) {
  const reply = await fetch(`${at.url}${path}?members=all`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${bearer}` },
    body: '&&wan&target',
  });
  await reply.arrayBuffer();
  const requestId = reply.headers.get('x-request-id');
  const line = await at.waitFor(
    () => at.log().find((entry) => entry.event === 'member.call' && entry.requestId === requestId),
    'the audit line',
  );
  return { status: reply.status, line };
}

test.each([
  { name: 'done at all of them', given: [200, 200], status: 200, outcome: 'success' },
  { name: 'done at one, and failed at the other', given: [200, 500], status: 207, outcome: 'partial' },
  { name: 'done at one, and refused by the other', given: [403, 200], status: 207, outcome: 'partial' },
  { name: 'failed at one, and refused by the other', given: [403, 500], status: 207, outcome: 'failure' },
  { name: 'refused by both', given: [403, 403], status: 207, outcome: 'denied' },
])(
  'what is $name is audited as $outcome, with the result of each (S84)',
  async ({ given, status, outcome }) => {
    answers.splice(0, 2, ...given);
    const called = await pauseAt(console, token);
    expect(called.status).toBe(status);
    expect(called.line).toMatchObject({
      outcome,
      status,
      results: members.map((member, i) => ({ member: hostOf(member), status: given[i] })),
    });
  },
);

test('a member that is not there is in the line with the reason, and no body of any is (S84)', async () => {
  const gone = await unusedAddress();
  answers.splice(0, 2, 200, 200);
  const addresses = [members[0]!.address, gone].join();
  const other = await startConsole({ env: { CONSOLE_MEMBERS: addresses } });
  try {
    const { status, line } = await pauseAt(other, await machineToken(other));
    expect(status).toBe(207);
    expect(line).toMatchObject({
      outcome: 'partial',
      results: [
        { member: hostOf(members[0]!), status: 200 },
        { member: new URL(gone).host, reason: 'no_member' },
      ],
    });
    expect(JSON.stringify(line.results)).not.toMatch(/body|detail/);
  } finally {
    await other.stop();
  }
});
