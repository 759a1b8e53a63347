import type { AsyncHandlers } from '@billing/chassis/rpc';
import { readPage } from '@billing/chassis/request-fields';
import type { RecordedRestore, Restores } from '@billing/chassis/restores';
import type {
  IdentityServiceServer,
  Restore as ProtoRestore,
} from '@billing/proto/billing/identity/v1/identity';

/** Dependencies of the calls about restores. */
export interface RestoreRpcDependencies {
  readonly restores: Pick<Restores, 'opened'>;
}

/** The calls about restores of the installation. */
export function restoreHandlers({
  restores,
}: RestoreRpcDependencies): Pick<AsyncHandlers<IdentityServiceServer>, 'listRestores'> {
  return {
    listRestores: async (request) => {
      const { page, perPage, oldestFirst } = readPage(request);
      const newestFirst = await restores.opened();
      const all = oldestFirst ? newestFirst.toReversed() : newestFirst;
      const start = (page - 1) * perPage;
      const listed = all.slice(start, start + perPage);
      return { restores: listed.map(toProtoRestore), total: all.length };
    },
  };
}

function toProtoRestore({ id, code, at, instant, openedAt }: RecordedRestore): ProtoRestore {
  return { id, code, at, instant, openedAt };
}
