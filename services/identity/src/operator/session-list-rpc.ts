import type { Stored } from '@billing/chassis/aggregate';
import type { Clock } from '@billing/chassis/clock';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import { notFound } from '@billing/kernel/domain-error';
import type {
  OperatorServiceServer,
  ShownSession,
} from '@billing/proto/billing/identity/v1/operator';
import { type OperatorSession, sentOrigin } from './session';
import type { OperatorSessionStore } from './session-store';
import type { SignIn } from './sign-in';

export interface SessionListRpcDependencies {
  readonly signIn: SignIn;
  readonly sessionList: OperatorSessionStore;
  readonly clock: Clock;
}

type Handlers = Pick<AsyncHandlers<OperatorServiceServer>, 'listSessions' | 'endSession'>;

export function sessionListHandlers({
  signIn,
  sessionList,
  clock,
}: SessionListRpcDependencies): Handlers {
  return {
    listSessions: async ({ sessionToken }) => {
      const { operator, session } = await signIn.authenticate(sessionToken);
      const open = await sessionList.listOpen(operator, clock.now());
      return { sessions: open.map((one) => toProtoSession(one, session.state.id)) };
    },
    endSession: async ({ sessionToken, id }) => {
      const { operator } = await signIn.authenticate(sessionToken);
      const found = await sessionList.find(operator, id, clock.now());
      if (found === undefined) throw notFound('Session');
      await signIn.endSession(found);
      return {};
    },
  };
}

function toProtoSession(
  { state, createdAt }: Stored<OperatorSession>,
  currentId: string,
): ShownSession {
  const { id, lastUsedAt, expiresAt, origin } = state;
  const { address, userAgent } = sentOrigin(origin);
  return { id, createdAt, lastUsedAt, expiresAt, address, userAgent, current: id === currentId };
}
