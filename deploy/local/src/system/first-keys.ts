import { join } from 'node:path';
import { everyScope, type Tenant, ownCall } from '@billing/chassis/call-context';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import type { TransportSecurity } from '@billing/chassis/transport-security';
import {
  type Environment,
  EnvironmentKind,
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import { z } from 'zod';
import { readJsonIfThere, writePrivateJson } from '../files/private-file';

/** Keys of the first organization. Only keys.json has them: the services store an HMAC. */
export interface FirstKeys {
  liveKey: string;
  /** Key of the first sandbox; absent once that was deleted. */
  testKey?: string;
}

/** Name of the first organization, which the first start creates. */
export const localOrganization = 'Local';

const KEY_NAME = 'First key';
const KEYS_PER_PAGE = 100;
const schema = z.object({ liveKey: z.string().optional(), testKey: z.string().optional() });

type Identity = Peer<IdentityServiceServer>;

/**
 * Creates an organization, by default the first one, with its live environment, a sandbox and a key
 * of each, if they do not exist.
 */
export async function ensureFirstKeys(
  identityAddress: string,
  dataDir: string,
  {
    name = localOrganization,
    security,
    log = () => undefined,
  }: {
    name?: string;
    security?: TransportSecurity | undefined;
    log?: (line: string) => void;
  } = {},
): Promise<FirstKeys> {
  const file = join(dataDir, 'keys.json');
  const identity = connectPeer<IdentityServiceServer>(IdentityServiceService, {
    address: identityAddress,
    security,
    service: 'launcher',
    withoutTenant: ['ensureOrganization'],
  });
  try {
    const tenants = await firstTenants(identity, name);
    const kept = await readKeys(file, log);
    const keyOf = async (tenant: Tenant, key: string | undefined): Promise<string> =>
      key !== undefined && (await isListed(identity, tenant, key))
        ? key
        : await createKey(identity, tenant);
    const liveKey = await keyOf(tenants.live, kept.liveKey);
    const testKey = tenants.sandbox && (await keyOf(tenants.sandbox, kept.testKey));
    const keys = { liveKey, ...(testKey !== undefined && { testKey }) };
    if (liveKey !== kept.liveKey || testKey !== kept.testKey) await writePrivateJson(file, keys);
    return keys;
  } finally {
    identity.close();
  }
}

/** Reads the stored keys. A damaged file does not prevent the start: new keys are created. */
async function readKeys(file: string, log: (line: string) => void): Promise<Partial<FirstKeys>> {
  try {
    return schema.parse((await readJsonIfThere(file)) ?? {});
  } catch {
    log(`${file} is damaged; new first keys replace it, and the old ones stay valid`);
    return {};
  }
}

/**
 * Live environment and first sandbox of the first organization; the sandbox is absent once deleted.
 */
interface FirstTenants {
  readonly live: Tenant;
  readonly sandbox: Tenant | undefined;
}

async function firstTenants(identity: Identity, name: string): Promise<FirstTenants> {
  const { organizationId, live, sandbox } = await identity.ensureOrganization({ name }, ownCall());
  const tenantOf = ({ id, kind }: Environment): Tenant => ({
    organizationId,
    environmentId: id,
    live: kind === EnvironmentKind.ENVIRONMENT_KIND_LIVE,
    manualClock: false,
  });
  if (live === undefined) throw new Error('The organization lacks its live environment');
  return { live: tenantOf(live), sandbox: sandbox && tenantOf(sandbox) };
}

/**
 * True if the key exists and is not revoked: keys.json may be older than the database. Does not try
 * the key: that would count as its first use, which the dashboard waits for.
 */
async function isListed(identity: Identity, tenant: Tenant, key: string): Promise<boolean> {
  for (let page = 1; ; page += 1) {
    const listed = await identity.listApiKeys({ page, perPage: KEYS_PER_PAGE }, ownCall(tenant));
    const found = listed.apiKeys.find(
      ({ name, prefix, last4 }) =>
        name === KEY_NAME && key.startsWith(prefix) && key.endsWith(last4),
    );
    if (found !== undefined) return found.revokedAt === undefined;
    if (page * KEYS_PER_PAGE >= listed.total) return false;
  }
}

async function createKey(identity: Identity, tenant: Tenant): Promise<string> {
  const request = { name: KEY_NAME, scopes: [], expiresAt: undefined, createdBy: undefined };
  const context = { ...ownCall(tenant), scopes: [everyScope] };
  return (await identity.createApiKey(request, context)).key;
}
