import type { ClusterFacts } from '../metrics/cluster.ts';

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
              {address}
              {isLocal && <span class="tag">answered</span>}
            </td>
            <td data-name="Version">{version}</td>
            <td data-name="Kind">{isLite ? 'Lite: keeps no data' : 'Keeps data'}</td>
            <td data-name="Id">
              <code>{uuid}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
