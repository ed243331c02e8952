/** Who has begun a job, as far as its reader may know: an account has an id, which says nothing to anybody. */
import { textFor } from '../http/display/presentation.ts';
import type { ListAnswer } from './lists.ts';
import type { PageContext, PageTools } from './page-tools.ts';

interface Started {
  readonly startedBy: string;
}

/** Who has begun it, in words: of one's own and of others' jobs it says something else to each reader. */
export interface Starter {
  /** Of a person whose page the reader may open. */
  readonly starterName?: string | undefined;
  /** Of a person whose page the reader may not open. */
  readonly starterWords?: string | undefined;
}

interface NamedUser {
  readonly id: string;
  readonly subject: string;
}

/** Of a person; a program has a name. */
const subject = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** @returns each with who has begun it; a person who has been removed stays an id, for who may find it elsewhere */
export async function withStarters<Job extends Started>(
  tools: PageTools,
  ctx: PageContext,
  jobs: readonly Job[],
): Promise<readonly (Job & Starter)[]> {
  const people = new Set(jobs.map(({ startedBy }) => startedBy).filter((id) => subject.test(id)));
  if (people.size === 0) return jobs;
  if (!(await tools.mayRun(ctx, ['listUsers'])).has('listUsers')) {
    const { account } = ctx.state;
    const another = textFor(ctx)('jobs.anotherPerson');
    return jobs.map((job) => {
      if (!people.has(job.startedBy)) return job;
      return { ...job, starterWords: job.startedBy === account.id ? account.username : another };
    });
  }
  const names = new Map<string, string>();
  for (const q of people) {
    const { body } = await tools.run<ListAnswer<NamedUser>>(ctx, 'listUsers', { query: { q } });
    const found = body.items.find((user) => user.subject === q);
    if (found) names.set(q, found.id);
  }
  return jobs.map((job) => ({ ...job, starterName: names.get(job.startedBy) }));
}
