import type { ComponentChildren } from 'preact';
import type { Unread } from '../metrics/call-error.ts';
import type { Reading } from '../metrics/cluster.ts';
import { ToConsole } from './layout.tsx';

interface PartProps<T> {
  readonly reading: Reading<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** What could be read, or why not and which role would open it. */
export function Part<T>({ reading, children }: PartProps<T>) {
  return 'value' in reading ? children(reading.value) : <Denied denial={reading.denial} />;
}

export function Denied({ denial: { detail, role, scope, decisionId } }: { readonly denial: Unread }) {
  return (
    <div class={role === undefined ? 'refused' : 'refused locked'}>
      <p>
        {role === undefined ? (
          <strong>Not available now.</strong>
        ) : (
          <strong>
            The role <span class="role">{role}</span> opens this.
          </strong>
        )}
      </p>
      <p class="muted">{detail.endsWith('.') ? detail : `${detail}.`}</p>
      {scope !== undefined && decisionId !== undefined && (
        <p class="muted small">
          Decision{' '}
          <ToConsole path={['observe', 'decisions', decisionId]}>
            <code>{decisionId}</code>
          </ToConsole>
          : the console's record of this call, what it lacked, and what would open it. Give the id to an
          administrator.
        </p>
      )}
    </div>
  );
}
