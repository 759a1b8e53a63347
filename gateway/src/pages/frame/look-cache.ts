import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import type { Peers } from '../../peer/peers';
import { defaultLook, type Look, lookOf } from './look';

const cachedMs = 10_000;
const waitMs = 300;
// A look takes less than a kilobyte.
const environmentsMax = 10_000;

interface Cached {
  readonly look: Look;
  readonly readAt: number;
}

/**
 * Looks by environment, cached for 10 seconds. When their owner does not answer, pages show the
 * last known look, or the default one: no page fails because of its look.
 */
export class LookCache {
  private readonly cached = new Map<string, Cached>();
  private readonly inFlight = new Map<string, Promise<Look>>();

  constructor(
    private readonly peers: Pick<Peers, 'branding'>,
    private readonly clock: Clock,
  ) {}

  /** Look of an environment, at most 300 ms later. */
  find(context: CallContext): Promise<Look> {
    const { environmentId } = context.tenant;
    const known = this.cached.get(environmentId);
    if (known !== undefined && this.clock.now().getTime() - known.readAt < cachedMs) {
      return Promise.resolve(known.look);
    }
    const running = this.inFlight.get(environmentId) ?? this.read(context);
    this.inFlight.set(environmentId, running);
    return running;
  }

  private async read(context: CallContext): Promise<Look> {
    const { environmentId } = context.tenant;
    const now = this.clock.now().getTime();
    try {
      const deadline = new Date(Math.min(context.deadline.getTime(), now + waitMs));
      // Several pages may wait for the answer, so it does not end with the connection of one.
      const signal = AbortSignal.timeout(waitMs);
      const look = lookOf(
        await this.peers.branding.getBranding({}, { ...context, deadline, signal }),
      );
      this.keep(environmentId, { look, readAt: now });
      return look;
    } catch {
      return this.cached.get(environmentId)?.look ?? defaultLook;
    } finally {
      this.inFlight.delete(environmentId);
    }
  }

  private keep(environmentId: string, cached: Cached): void {
    this.cached.delete(environmentId);
    this.cached.set(environmentId, cached);
    const [oldest] = this.cached.keys();
    if (this.cached.size > environmentsMax && oldest !== undefined) this.cached.delete(oldest);
  }
}
