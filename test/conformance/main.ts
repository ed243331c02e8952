/**
 * `npm run conformance -- build FOLDER` builds the OpenID Foundation's conformance suite from its sources;
 * `npm run conformance -- [plan …]` runs the named plans, or all, against the console: docs/conformance.md.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configuration } from './pages.ts';
import { type PlanToRun, plans } from './plans.ts';
import { relyingPartyConfiguration, useProvider } from './relying-party.ts';
import { line, markdown, type Validated, validate } from './report.ts';
import { addClients, type Subject, startSubject } from './subject.ts';
import type { PlannedModule } from './suite/api.ts';
import { buildSuite } from './suite/build.ts';
import { type RunningSuite, startSuite } from './suite/processes.ts';
import { folders } from './work-folder.ts';

const [first, ...rest] = process.argv.slice(2);
process.exitCode =
  first === 'build' ? build(rest[0]) : await run(first === undefined ? [] : [first, ...rest]);

function build(from: string | undefined): number {
  if (from === undefined) {
    console.error('name the folder of the suite: npm run conformance -- build FOLDER');
    return 2;
  }
  buildSuite(from);
  console.log(`The suite stands in ${folders.built}. Run it: npm run conformance`);
  return 0;
}

/** @returns 1 when a module has not done what is known of it */
async function run(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !plans.some((plan) => plan.name === name));
  if (unknown.length > 0) {
    console.error(`no plan ${unknown.join(', ')}; there are ${plans.map(({ name }) => name).join(', ')}`);
    return 2;
  }
  const subject = await startSubject();
  try {
    const suite = await startSuite(subject.certificate);
    try {
      await addClients(subject, suite.origin);
      const chosen = plans.filter(({ name }) => names.length === 0 || names.includes(name));
      const results: Validated[] = [];
      for (const plan of chosen) results.push(...(await runPlan(plan, subject, suite)));
      return finish(results);
    } finally {
      await suite.stop();
    }
  } finally {
    await subject.end();
  }
}

async function runPlan(
  { name, plan, variant, client, first }: PlanToRun,
  subject: Subject,
  suite: RunningSuite,
): Promise<Validated[]> {
  const config =
    client === undefined ? relyingPartyConfiguration(subject.url) : configuration(subject.url, client);
  const created = await suite.createPlan(plan, variant, config);
  const results: Validated[] = [];
  const isFirst = ({ testModule }: PlannedModule) => testModule === first;
  const modules = [...created.modules].sort((a, b) => Number(isFirst(b)) - Number(isFirst(a)));
  for (const module of modules) {
    const act = () => useProvider(subject, suite, module.testModule);
    const validated = validate(
      name,
      await suite.run(created, module, client === undefined ? act : undefined),
    );
    console.log(line(validated));
    results.push(validated);
  }
  return results;
}

function finish(results: readonly Validated[]): number {
  mkdirSync(folders.results, { recursive: true });
  writeFileSync(join(folders.results, 'results.md'), markdown(results));
  writeFileSync(join(folders.results, 'results.json'), JSON.stringify(results, undefined, 2));
  const faults = results.filter(({ isFault }) => isFault).length;
  console.log(`${results.length} modules, faults: ${faults}. All of it: ${folders.results}`);
  return faults === 0 ? 0 : 1;
}
