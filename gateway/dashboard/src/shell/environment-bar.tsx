import { useId, useState } from 'react';
import { useLocation } from 'wouter';
import { environmentName, useWorkspace } from '../api/environment';
import { useEnvironments, useResource } from '../api/queries';
import type { Environment } from '../api/session';
import { Instant } from '../parts/values';
import { environmentPath, samePlace } from '../api/environment-path';

const clockEveryMs = 30_000;
const offeredMax = 20;

/** Shows and switches the selected environment; the live environment has a distinct color. */
export function EnvironmentBar() {
  const { session, environment } = useWorkspace();
  const [location, navigate] = useLocation();
  const id = useId();
  const isLive = environment.kind === 'LIVE';
  const [search, setSearch] = useState('');
  const { data } = useEnvironments({ search, page: 1, perPage: offeredMax });
  const found = data?.data ?? session.environments;
  const total = data?.total ?? 0;
  // The selected environment and live are always offered.
  const live = session.environments.filter(({ kind }) => kind === 'LIVE');
  const offered = uniqueById([...live, environment, ...found]);
  return (
    <div className="environment-bar" role="region" aria-label="Selected environment">
      <strong>{isLive ? 'Live' : 'Sandbox'}</strong>
      <label htmlFor={id} className="unseen">
        Find an environment by name or ID
      </label>
      <input
        id={id}
        type="search"
        value={search}
        placeholder="Find by name or ID"
        autoComplete="off"
        onChange={(event) => setSearch(event.target.value)}
      />
      <select
        aria-label="Environment"
        value={environment.id}
        onChange={(event) => {
          const chosen = offered.find((one) => one.id === event.target.value);
          if (chosen === undefined) return;
          navigate(`~/dashboard${environmentPath(chosen)}${samePlace(location)}`);
        }}
      >
        {offered.map((one) => (
          <option key={one.id} value={one.id}>
            {one.kind === 'LIVE' ? 'Live' : `Sandbox: ${environmentName(one)}`}
          </option>
        ))}
      </select>
      {total > found.length && (
        <span>
          {found.length} of {total}
        </span>
      )}
      {isLive ? <span>Real customers, real money</span> : <SandboxClock />}
    </div>
  );
}

function uniqueById(environments: readonly Environment[]): readonly Environment[] {
  return [...new Map(environments.map((one) => [one.id, one])).values()];
}

function SandboxClock() {
  const { environment } = useWorkspace();
  const { data } = useResource<{ now: string }>('/v1/sandboxes/clock', { refetchMs: clockEveryMs });
  if (environment.clock !== 'MANUAL') return <span>No real charges</span>;
  return (
    <span>
      Sandbox time: <Instant at={data?.now ?? environment.now} />
    </span>
  );
}
