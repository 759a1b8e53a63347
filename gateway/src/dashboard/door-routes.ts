import type { CallContext } from '@billing/chassis/call-context';
import { DomainError } from '@billing/kernel/domain-error';
import type { OperatorSession } from '@billing/proto/billing/identity/v1/operator';
import { toHttpError } from '../http-error';
import { pageAnswer, redirectAnswer } from '../pages/shell';
import { type ApiAnswer, param } from '../route';
import type { DashboardRoute, DoorRequest } from './dashboard-route';
import { invitationPage, signInPage, signInPath, type Typed } from './door-page';
import type { OperatorSurroundings } from './operator-route';
import { cookieOf } from './session-routes';

// What the form itself can tell; all else gets a page of its own.
const toldByForm = ['invalid_input', 'unauthenticated', 'resource_exhausted', 'already_exists'];

/** How operators come in by forms. */
export const doorRoutes: readonly DashboardRoute[] = [
  {
    method: 'GET',
    path: signInPath,
    isDoor: true,
    handle: () => Promise.resolve(pageAnswer(signInPage())),
  },
  {
    method: 'POST',
    path: signInPath,
    isDoor: true,
    handle: async (request, site) => {
      const { form, call, network } = request;
      const email = form.get('email') ?? '';
      const password = form.get('password') ?? '';
      try {
        const { session } = await site.peers.operator.logIn(
          { email, password, network },
          call as CallContext,
        );
        return enter(session, request, site);
      } catch (error) {
        return pageAnswer(signInPage({ email, ...toldOf(error) }));
      }
    },
  },
  {
    method: 'GET',
    path: '/dashboard/invitation/:token',
    isDoor: true,
    handle: async (request, site) =>
      pageAnswer(invitationPage(request.path, await invitationOf(request, site))),
  },
  {
    method: 'POST',
    path: '/dashboard/invitation/:token',
    isDoor: true,
    handle: acceptInvitation,
  },
];

async function acceptInvitation(
  request: DoorRequest,
  site: OperatorSurroundings,
): Promise<ApiAnswer> {
  const { form, call } = request;
  const typed = { email: form.get('email') ?? '', name: form.get('name') ?? '' };
  const invitation = await invitationOf(request, site);
  try {
    const { session } = await site.peers.operator.acceptInvitation(
      { ...typed, password: form.get('password') ?? '', token: param(request, 'token') },
      call as CallContext,
    );
    return enter(session, request, site);
  } catch (error) {
    return pageAnswer(invitationPage(request.path, invitation, { ...typed, ...toldOf(error) }));
  }
}

function invitationOf(request: DoorRequest, { peers }: OperatorSurroundings) {
  return peers.operator.getInvitation(
    { token: param(request, 'token') },
    request.call as CallContext,
  );
}

function enter(
  session: OperatorSession | undefined,
  { call }: DoorRequest,
  site: OperatorSurroundings,
): ApiAnswer {
  const { headers, ...sent } = redirectAnswer('/dashboard');
  return { ...sent, headers: { ...headers, 'Set-Cookie': cookieOf(session, { call, site }) } };
}

/** What a form tells of an error; throws the others. */
function toldOf(error: unknown): Pick<Typed, 'problems' | 'refusal'> {
  if (!(error instanceof DomainError) || !toldByForm.includes(error.kind)) throw error;
  if (error.fields !== undefined) return { problems: error.fields };
  const { status } = toHttpError(error);
  const text =
    status === 429 ? 'Too many attempts. Please wait a quarter of an hour.' : error.message;
  return { refusal: { status, text } };
}
