import { type CallContext, newResourceId, type Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { isId } from '@billing/chassis/ids';
import { expectedVersionOf, maskedFields } from '@billing/chassis/request-fields';
import { rpcService } from '@billing/chassis/rpc';
import { invalidInput, notFound } from '@billing/kernel/domain-error';
import { optionalProblems, refuseProblems } from '@billing/kernel/input-problems';
import { webAddressProblems } from '@billing/kernel/web-address';
import {
  PortalDoor as ProtoPortalDoor,
  type PortalSignIn,
  type PortalServiceServer,
  PortalServiceService,
  type PortalSettings as ProtoPortalSettings,
} from '@billing/proto/billing/customer/v1/portal';
import { portalCallers } from './callers';
import type { Customers } from './customer-store';
import {
  checkVisit,
  linkStatusOf,
  signInToken,
  signInUrl,
  isNonce,
  isReplayable,
  type SignInLinkStatus,
  type PortalSession,
  type PortalSite,
  sessionEnd,
  sessionExpired,
  sessionUsed,
  visitSecret,
} from './portal-session';
import type { WithTenant, PortalSessionStore } from './portal-session-store';
import { changePortalSettings, type PortalSettings } from './portal-settings';
import type { PortalSettingsStore } from './portal-settings-store';
import type { PortalSignInStore } from './portal-sign-in-store';
import { customersWithAddress } from './store';

export interface PortalRpcDependencies {
  readonly customers: Customers;
  readonly sessions: PortalSessionStore;
  readonly settings: PortalSettingsStore;
  readonly signIns: PortalSignInStore;
  readonly site: PortalSite;
  readonly clock: Clock;
}

const protoLinkStatuses: Readonly<Record<SignInLinkStatus, ProtoPortalDoor>> = {
  OPEN: ProtoPortalDoor.PORTAL_DOOR_OPEN,
  USED: ProtoPortalDoor.PORTAL_DOOR_USED,
  EXPIRED: ProtoPortalDoor.PORTAL_DOOR_EXPIRED,
};

/**
 * RPCs of the customer portal. Calls that carry a token or a secret need no tenant: the response
 * contains it.
 */
export function portalRpc(dependencies: PortalRpcDependencies) {
  const { sessions, settings, site, clock } = dependencies;
  const siteUrl = site.url;
  return rpcService<PortalServiceServer>(
    PortalServiceService,
    {
      createPortalSession: (request, context) => createSession(request, context, dependencies),

      startPortalSignIns: async ({ email }, context) => ({
        signIns: await startSignIns(email, context, dependencies),
      }),

      getPortalUrl: async ({ sessionId }, { tenant }) => {
        const secret = isId(sessionId)
          ? await secretOfSession(sessionId, tenant, dependencies)
          : undefined;
        if (secret === undefined) throw notFound('Portal session');
        return { url: signInUrl(sessionId, { url: siteUrl, secret }) };
      },

      findPortalSession: async ({ token }) => {
        const session = await requireSession(token, dependencies);
        const isUsed = await sessions.isUsed(token);
        const door = protoLinkStatuses[linkStatusOf(session, { isUsed, now: clock.now() })];
        return {
          door,
          tenant: session.tenant,
          siteUrl,
          locale: await localeOf(session, dependencies),
        };
      },

      enterPortal: async ({ token, nonce }) => {
        const session = await requireSession(token, dependencies);
        if (!isNonce(nonce)) throw invalidInput({ nonce: ['Invalid nonce'] });
        return {
          secret: await enter({ token, nonce }, session, dependencies),
          expiresAt: session.expiresAt,
        };
      },

      findPortalVisit: async ({ secret }) => {
        const visit = await sessions.findVisit(secret);
        if (visit === undefined) throw notFound('Page');
        checkVisit(visit, clock.now());
        const { customerId, returnUrl, tenant } = visit;
        const locale = await localeOf(visit, dependencies);
        return { customerId, returnUrl: returnUrl ?? undefined, tenant, siteUrl, locale };
      },

      leavePortal: async ({ secret }) => {
        await sessions.endVisit(secret, clock.now());
        return {};
      },

      getPortalSettings: async (_request, context) => ({
        settings: toProtoSettings(await settings.read(context)),
      }),

      updatePortalSettings: async ({ products, quantity = false, ...request }, context) => {
        const changes = maskedFields({ products, quantity }, request.updateMask);
        const { expectedVersion } = expectedVersionOf(request);
        const changed = await settings.change(
          (state, now) => changePortalSettings(state, changes, { expectedVersion, now }),
          context,
        );
        return { settings: toProtoSettings(changed) };
      },
    },
    {
      withoutTenant: ['findPortalSession', 'enterPortal', 'findPortalVisit', 'leavePortal'],
      // The URL contains the sign-in token: encrypt it in stored idempotency responses.
      secrets: ['url'],
      callers: portalCallers,
    },
  );
}

/** Locale of a session's customer; undefined without one. */
async function localeOf(
  { customerId, tenant }: { readonly customerId: string; readonly tenant: Tenant },
  { customers, clock }: PortalRpcDependencies,
): Promise<string | undefined> {
  const found = await customers.records.within({ tenant, now: clock.now() }).find(customerId);
  return found?.state.locale ?? undefined;
}

/**
 * The site secret that a session's token was derived from; undefined for a session of another
 * environment.
 */
async function secretOfSession(
  sessionId: string,
  { environmentId }: Pick<Tenant, 'environmentId'>,
  { sessions, site }: PortalRpcDependencies,
): Promise<string | undefined> {
  for (const secret of [site.secret, ...site.oldSecrets]) {
    const found = await sessions.find(signInToken(sessionId, { secret }));
    if (found?.tenant.environmentId === environmentId) return secret;
  }
  return undefined;
}

async function createSession(
  { customerId, returnUrl }: { customerId: string; returnUrl?: string | undefined },
  context: CallContext,
  { customers, sessions, site, clock }: PortalRpcDependencies,
) {
  refuseProblems({ returnUrl: optionalProblems(returnUrl, webAddressProblems) });
  await customers.get(customerId, context);
  const sessionId = newResourceId(context, 'portalSession');
  context.storing?.pass();
  const { expiresAt } = await sessions.insert(signInToken(sessionId, site), {
    customerId,
    returnUrl: returnUrl ?? null,
    expiresAt: sessionEnd(clock.now()),
    tenant: context.tenant,
  });
  return { sessionId, url: signInUrl(sessionId, site), expiresAt };
}

const signInsMax = 5;

/** Creates a session for each of the newest customers with an address. */
async function startSignIns(
  email: string,
  context: CallContext,
  dependencies: PortalRpcDependencies,
): Promise<PortalSignIn[]> {
  const { customers, signIns, clock } = dependencies;
  const address = email.trim();
  context.storing?.check();
  if (!(await signIns.take(context.tenant.environmentId, address, clock.now()))) return [];
  const page = { page: 1, perPage: signInsMax };
  // Documents of earlier releases have only the address as it was typed.
  const lists = await Promise.all(
    customersWithAddress(address).map((filter) => customers.list({ ...page, filter }, context)),
  );
  const found = lists.flatMap(({ data }) => data);
  found.sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
  const ids = [...new Set(found.map(({ state }) => state.id))].slice(0, signInsMax);
  // Each customer has a session of its own, so their ids have no common seed.
  return Promise.all(
    ids.map(async (customerId) => {
      const own = { ...context, resourceSeed: undefined };
      const { sessionId, url, expiresAt } = await createSession({ customerId }, own, dependencies);
      return { customerId, sessionId, url, expiresAt };
    }),
  );
}

async function requireSession(
  token: string,
  { sessions }: PortalRpcDependencies,
): Promise<WithTenant<PortalSession>> {
  const session = await sessions.find(token);
  if (session === undefined) throw notFound('Page');
  return session;
}

/** Starts the visit, or returns the one that the same browser has just started. */
async function enter(
  { token, nonce }: { readonly token: string; readonly nonce: string },
  session: WithTenant<PortalSession>,
  { sessions, site, clock }: PortalRpcDependencies,
): Promise<string> {
  const begunAt = clock.now();
  if (linkStatusOf(session, { isUsed: false, now: begunAt }) === 'EXPIRED') throw sessionExpired();
  const secret = visitSecret({ token, nonce }, site);
  const isStarted = await sessions.startVisit(
    { token, secret },
    { ...session, begunAt, endedAt: null },
  );
  if (isStarted) return secret;
  const visit = await sessions.findStarted({ token, secret });
  if (visit === undefined || !isReplayable(visit, begunAt)) throw sessionUsed();
  return secret;
}

function toProtoSettings(settings: PortalSettings): ProtoPortalSettings {
  const { products, quantity, settingsVersion, settingsUpdatedAt } = settings;
  return {
    products: [...products],
    quantity,
    version: BigInt(settingsVersion),
    updatedAt: settingsUpdatedAt,
  };
}
