import type { AsyncHandlers } from '@billing/chassis/rpc';
import { readPage } from '@billing/chassis/request-fields';
import type { RecordedRestore, Restores } from '@billing/chassis/restores';
import type { SystemDocument } from '@billing/chassis/system-state';
import type {
  IdentityServiceServer,
  Restore as ProtoRestore,
} from '@billing/proto/billing/identity/v1/identity';

/** Dependencies of the calls about restores. */
export interface RestoreRpcDependencies {
  readonly restores: Pick<Restores, 'find' | 'newest' | 'opened'>;
  /** `recovering` is the state of the installation while it recovers. */
  readonly system: { readonly recovering: SystemDocument | undefined };
}

/** The calls about restores of the installation. */
export function restoreHandlers({
  restores,
  system,
}: RestoreRpcDependencies): Pick<
  AsyncHandlers<IdentityServiceServer>,
  'getRecovery' | 'listRestores'
> {
  return {
    listRestores: async (request) => {
      const { page, perPage, oldestFirst } = readPage(request);
      const newestFirst = await restores.opened();
      const all = oldestFirst ? newestFirst.toReversed() : newestFirst;
      const start = (page - 1) * perPage;
      const listed = all.slice(start, start + perPage);
      return { restores: listed.map(toProtoRestore), total: all.length };
    },

    getRecovery: async ({ withReport }) => {
      const { recovering } = system;
      // Until all databases are restored, only earlier restores are recorded.
      const restore =
        recovering === undefined
          ? await restores.newest()
          : recovering.restore && (await restores.find(recovering.restore.id));
      return {
        recovering: recovering !== undefined,
        restore: restore && toProtoRestore(restore),
        step: recovering?.step,
        reportJson: withReport ? restore?.report : undefined,
      };
    },
  };
}

function toProtoRestore({ id, code, at, instant, openedAt }: RecordedRestore): ProtoRestore {
  return { id, code, at, instant, openedAt };
}
