import { isId } from '@billing/chassis/ids';
import { rpcService } from '@billing/chassis/rpc';
import { invalidInput } from '@billing/kernel/domain-error';
import {
  type LostCallServiceServer,
  LostCallServiceService,
} from '@billing/proto/billing/identity/v1/lost_call';
import { lostCallCallers } from '../peer/callers';
import type { LostCallStore } from './lost-call-store';

/** The calls by which gateways share lost calls. */
export function lostCallRpc(calls: LostCallStore) {
  return rpcService<LostCallServiceServer>(
    LostCallServiceService,
    {
      recordLostCall: async ({ claimId, runningUntil, answer, ...call }) => {
        if (!isId(call.id)) throw invalidInput({ id: ['Invalid uuid'] });
        await calls.record({
          ...call,
          claimId: claimId ?? null,
          runningUntil: runningUntil ?? null,
          answer: answer ?? null,
        });
        return {};
      },
      claimLostCall: async ({ fingerprint, claimId, claimedUntil }) => {
        if (claimedUntil === undefined) throw invalidInput({ claimedUntil: ['Required'] });
        const claimed = await calls.claim({ fingerprint, claimId, claimedUntil });
        if ('isRunning' in claimed) return { id: undefined, answer: undefined, ...claimed };
        const { id, answer } = claimed;
        return {
          id,
          answer:
            answer === null
              ? undefined
              : { ...answer, headers: { ...answer.headers }, body: Buffer.from(answer.body) },
          isRunning: false,
        };
      },
      forgetLostCall: async ({ id }) => {
        await calls.forget(id);
        return {};
      },
      listLostCalls: async ({ since }) => ({ calls: await calls.list(since ?? new Date(0)) }),
    },
    {
      withoutTenant: ['recordLostCall', 'claimLostCall', 'forgetLostCall', 'listLostCalls'],
      // A retry of a call lost in an overload must find it.
      unlimited: 'all',
      callers: lostCallCallers,
    },
  );
}
