import type { Health } from '../metrics/cluster.ts';
import type { Snapshot } from '../metrics/sampler.ts';
import { Denied } from './part.tsx';
import { Tile } from './tile.tsx';

/** How the cluster is, in one sentence and a few facts. */
export function Headline({ health, version }: Pick<Snapshot, 'health' | 'version'>) {
  if ('denial' in health) {
    return (
      <>
        <h1>Cluster</h1>
        <Denied {...health} />
      </>
    );
  }
  const facts = health.value;
  return (
    <>
      <h1 class={isHealthy(facts) ? 'state well' : 'state ill'}>{sentenceOf(facts)}</h1>
      <dl class="tiles">
        <Tile name="Members" value={facts.clusterSize} />
        <Tile name="State" value={inWords(facts.clusterState)} />
        <Tile name="Data" value={facts.isSafe ? 'Safe' : 'At risk'} />
        <Tile name="Migration queue" value={facts.migrationQueueSize} />
        <Tile name="Version" value={'value' in version ? version.value : 'Not known'} />
      </dl>
    </>
  );
}

function isHealthy({ isSafe, nodeState, clusterState }: Health): boolean {
  return isSafe && nodeState === 'ACTIVE' && clusterState === 'ACTIVE';
}

function sentenceOf(health: Health): string {
  if (isHealthy(health)) return 'Cluster healthy';
  if (!health.isSafe) return 'Data at risk';
  const state = health.clusterState === 'ACTIVE' ? health.nodeState : health.clusterState;
  return `Cluster ${inWords(state).toLowerCase()}`;
}

/** `NO_MIGRATION` becomes `No migration`. */
function inWords(state: string): string {
  return state.charAt(0) + state.slice(1).toLowerCase().replaceAll('_', ' ');
}
