import type { ClusterFacts } from '../metrics/cluster.ts';
import { ToConsole } from './layout.tsx';

export function Members({ members }: ClusterFacts) {
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">Address</th>
          <th scope="col">Version</th>
          <th scope="col">Kind</th>
          <th scope="col">Id</th>
        </tr>
      </thead>
      <tbody>
        {members.map(({ address, uuid, version, isLite, isLocal }) => (
          <tr key={uuid}>
            <td data-name="Address">
              <ToConsole path={['cluster', 'members']}>{address}</ToConsole>
              {isLocal && <span class="tag">answered</span>}
            </td>
            <td data-name="Version">{version}</td>
            <td data-name="Kind">{isLite ? 'Lite member' : 'Data member'}</td>
            <td data-name="Id">
              <code>{uuid}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
