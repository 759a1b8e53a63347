import type { Express, Request } from 'express';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import { DomainError } from '@billing/kernel/domain-error';
import { tenantOf } from '../../access/environment';
import { present } from '../../http/answer';
import { notFound } from '../../http/error';
import type { Call } from '../../http/exchange';
import {
  admitAddress,
  mountPages,
  type PageAddress,
  type PageDependencies,
  type PageWork,
} from '../../http/page-mount';
import { RateLimit } from '../../http/rate-limit';
import { originOf, refuseOtherSites } from '../../http/same-site';
import { failurePage } from '../../pages/frame/failure-page';
import { readForm } from '../../pages/frame/form-body';
import type { LookCache } from '../../pages/frame/look-cache';
import { dressed, PageDress } from '../../pages/frame/page-dress';
import { pageAnswer } from '../../pages/frame/shell';
import type { Peers } from '../../peer/peers';
import { signInPage, signInRequestedPage } from './sign-in-page';

/** Dependencies of the sign-in by email. */
interface SignInSite extends PageDependencies {
  readonly peers: Peers;
  readonly looks: LookCache;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly pageRate?: RateLimit | undefined;
}

const path = '/portal/sign-in/:environmentId';
const postsPerMinute = 10;
const secondsPerMinute = 60;
const workMs = 30_000;
const emailMax = 254;

/** Serves the page on which customers ask for a link to the portal. */
export function addPortalSignIn(app: Express, site: SignInSite): void {
  const dress = new PageDress(site.looks, (request) => request.path);
  const postRate = new RateLimit({
    perSecond: postsPerMinute / secondsPerMinute,
    burst: postsPerMinute,
  });
  const routes: readonly (PageAddress & { readonly work: PageWork })[] = [
    { method: 'GET', path, work: showForm(site, dress) },
    { method: 'POST', path, work: sendLinks(site, { dress, postRate }) },
  ];
  mountPages(app, routes, {
    dependencies: site,
    workOf: ({ work }) => dressed(work, dress),
    showError: (problem, request) => dress.finishNow(failurePage(problem, request.path), request),
  });
}

function showForm({ peers, pageRate }: SignInSite, dress: PageDress): PageWork {
  return async (call, { request }, recordCaller) => {
    admitAddress(request, call, pageRate);
    const context = await environmentOf(request, call, peers);
    recordCaller({ tenant: context.tenant });
    dress.begin(request, context);
    return pageAnswer(signInPage({ path: request.path, isTest: !context.tenant.live }));
  };
}

/** Answers at once and always alike; the links are sent afterwards. */
function sendLinks(
  { peers, pageRate, clock, logger }: SignInSite,
  { dress, postRate }: { readonly dress: PageDress; readonly postRate: RateLimit },
): PageWork {
  return async (call, { request, response }, recordCaller) => {
    admitAddress(request, call, pageRate);
    refuseOtherSites(originOf(request), { isNamed: true });
    admitAddress(request, call, postRate);
    const context = await environmentOf(request, call, peers);
    recordCaller({ tenant: context.tenant });
    dress.begin(request, context);
    const email = ((await readForm(request, response)).get('email') ?? '').trim();
    if (email !== '' && email.length <= emailMax) {
      const own = {
        ...context,
        deadline: new Date(clock.now().getTime() + workMs),
        signal: AbortSignal.timeout(workMs),
      };
      void mailLinks(email, own, peers).catch((error: unknown) => {
        logger.warn({ err: error }, 'sign-in link not mailed');
      });
    }
    return pageAnswer(signInRequestedPage({ isTest: !context.tenant.live }));
  };
}

async function mailLinks(email: string, context: CallContext, peers: Peers): Promise<void> {
  const { signIns } = await peers.portal.startPortalSignIns({ email }, context);
  for (const signIn of signIns) await peers.mail.sendPortalLink(signIn, context);
}

/** Context of the environment that the address names, if mails can be sent from it. */
async function environmentOf(request: Request, call: Call, peers: Peers): Promise<CallContext> {
  const id = String(request.params.environmentId);
  const found = await knownEnvironment(id, call, peers);
  const context = { ...call, tenant: tenantOf(found) };
  if (!context.tenant.live) return context;
  const { settings } = await peers.mailSettings.getEmailSettings({}, context);
  if (settings?.serverConfigured !== true) throw notFound();
  return context;
}

async function knownEnvironment(id: string, call: Call, { identity }: Peers) {
  try {
    const answer = await identity.findEnvironment({ id }, call as CallContext);
    return present(answer.environment);
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'not_found') throw notFound();
    throw error;
  }
}
