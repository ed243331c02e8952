import type { Health } from '../metrics/cluster.ts';
import type { Snapshot } from '../metrics/sampler.ts';
import { Denied } from './part.tsx';
import { Tile } from './tile.tsx';

/** How the cluster is, in one sentence and a few facts. */
export function Headline({ health, version }: Pick<Snapshot, 'health' | 'version'>) {
  if ('denial' in health) {
    return (
      <>
        <h1>How the cluster is</h1>
        <Denied {...health} />
      </>
    );
  }
  const facts = health.value;
  return (
    <>
      <h1 class={isWell(facts) ? 'state well' : 'state ill'}>{sentenceOf(facts)}</h1>
      <dl class="tiles">
        <Tile name="Members" value={facts.clusterSize} />
        <Tile name="State" value={inWords(facts.clusterState)} />
        <Tile name="Data" value={facts.isSafe ? 'Safe' : 'At risk'} />
        <Tile name="Migrations waiting" value={facts.migrationQueueSize} />
        <Tile name="Version" value={'value' in version ? version.value : 'Not known'} />
      </dl>
    </>
  );
}

function isWell({ isSafe, nodeState, clusterState }: Health): boolean {
  return isSafe && nodeState === 'ACTIVE' && clusterState === 'ACTIVE';
}

function sentenceOf(health: Health): string {
  if (isWell(health)) return 'The cluster is well.';
  if (!health.isSafe) return 'Data of the cluster is at risk.';
  return `The cluster is ${health.clusterState === 'ACTIVE' ? health.nodeState.toLowerCase() : inWords(health.clusterState).toLowerCase()}.`;
}

/** `NO_MIGRATION` becomes `No migration`. */
function inWords(state: string): string {
  return state.charAt(0) + state.slice(1).toLowerCase().replaceAll('_', ' ');
}
