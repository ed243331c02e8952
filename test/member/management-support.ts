import { expect } from 'vitest';
import { memberFile, type Reply, type startTestMember } from './support.ts';

/** A member file with every group on that a management call is in; `more` as in `memberFile`. */
export function managedFile(more = ''): string {
  return memberFile(more).replace('DATA: {', 'CLUSTER_WRITE: { enabled: true }, DATA: {');
}

export type TestMember = Awaited<ReturnType<typeof startTestMember>>;

/** Everything that a management call could have changed, as the member shows it. */
export async function stateOf({ call }: Pick<TestMember, 'call'>): Promise<unknown> {
  const paths = ['health', 'rest/license', 'rest/log-level', 'rest/management/cluster/version'];
  const cpPaths = ['members', 'groups', 'groups/default/sessions'].map((path) => `rest/cp-subsystem/${path}`);
  const replies = await Promise.all([...paths, ...cpPaths].map((path) => call('GET', `/svc/${path}`)));
  return replies.map(({ status, body }) => `${status} ${body}`);
}

export const unauthenticated: Partial<Reply> = {
  status: 403,
  type: 'application/json',
  body: '{"status":"fail","message":"unauthenticated"}',
};

export function expectJson(reply: Reply, value: unknown): void {
  expect(reply).toMatchObject({ status: 200, type: 'application/json', body: JSON.stringify(value) });
}
