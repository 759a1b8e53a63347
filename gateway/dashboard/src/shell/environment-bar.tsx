import { useId } from 'react';
import { useLocation } from 'wouter';
import { environmentName, useAtWork } from '../api/environment';
import { useResource } from '../api/queries';
import { Instant } from '../parts/values';
import { environmentPath, samePlace } from './environment-path';

const clockEveryMs = 30_000;

/** Which environment one works in, on every page, and the way to another: live looks like nothing else. */
export function EnvironmentBar() {
  const { session, environment } = useAtWork();
  const [location, navigate] = useLocation();
  const id = useId();
  const isLive = environment.kind === 'LIVE';
  return (
    <div className="environment-bar" role="region" aria-label="Where you work">
      <strong>{isLive ? 'Live' : 'Sandbox'}</strong>
      <label htmlFor={id} className="unseen">
        Environment
      </label>
      <select
        id={id}
        value={environment.id}
        onChange={(event) => {
          const chosen = session.environments.find((one) => one.id === event.target.value);
          if (chosen === undefined) return;
          navigate(`~/dashboard${environmentPath(chosen)}${samePlace(location)}`);
        }}
      >
        {session.environments.map((one) => (
          <option key={one.id} value={one.id}>
            {one.kind === 'LIVE' ? 'Live' : `Sandbox: ${environmentName(one)}`}
          </option>
        ))}
      </select>
      {isLive ? <span>Real customers, real money</span> : <SandboxClock />}
    </div>
  );
}

function SandboxClock() {
  const { environment } = useAtWork();
  const { data } = useResource<{ now: string }>('/v1/sandboxes/clock', { refetchMs: clockEveryMs });
  if (environment.clock !== 'MANUAL') return <span>Nobody is charged</span>;
  return (
    <span>
      Its clock says <Instant at={data?.now ?? environment.now} />
    </span>
  );
}
