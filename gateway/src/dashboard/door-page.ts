import type { GetInvitationResponse } from '@billing/proto/billing/identity/v1/operator';
import { operatorRoles } from '@billing/proto/values/identity';
import {
  type FormProblems,
  notice,
  postForm,
  problemSummary,
  type TextField,
  textField,
} from '../pages/form-fields';
import { html } from '../pages/html';
import type { Page } from '../pages/shell';

export const signInPath = '/dashboard/sign-in';

const email: TextField = {
  name: 'email',
  label: 'E-mail',
  autocomplete: 'username',
  type: 'email',
  inputMode: 'email',
  lengthMax: 254,
};
const name: TextField = { name: 'name', label: 'Name', autocomplete: 'name', lengthMax: 200 };
const password: TextField = {
  name: 'password',
  label: 'Password',
  autocomplete: 'current-password',
  type: 'password',
  lengthMax: 200,
};
const newPassword: TextField = {
  ...password,
  autocomplete: 'new-password',
  hint: 'At least 12 characters.',
};

/** What somebody typed, but for the password, and what was wrong with it. */
export interface Typed {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly problems?: FormProblems;
  /** What is wrong with all of it, and the status that goes with it. */
  readonly refusal?: { readonly status: number; readonly text: string };
}

/** The form by which operators sign in. */
export function signInPage(typed: Typed = {}): Page {
  const fields = [{ ...email, value: typed.email ?? '' }, password];
  return doorPage('Sign in', { path: signInPath, fields, typed, button: 'Sign in' });
}

/** The form by which somebody accepts an invitation. */
export function invitationPage(
  path: string,
  invitation: GetInvitationResponse,
  typed: Typed = {},
): Page {
  const role = operatorRoles.nameOf(invitation.role).toLowerCase();
  const title = `Join ${invitation.organizationName}`;
  const fields = [
    { ...name, value: typed.name ?? '' },
    { ...email, value: typed.email ?? invitation.email ?? '' },
    newPassword,
  ];
  return doorPage(title, {
    path,
    fields,
    typed,
    button: 'Accept and sign in',
    text: `You were invited to the billing dashboard as ${role}. This link works once.`,
  });
}

function doorPage(
  title: string,
  {
    path,
    fields,
    typed: { problems = {}, refusal },
    button,
    text,
  }: {
    path: string;
    fields: readonly TextField[];
    typed: Typed;
    button: string;
    text?: string;
  },
): Page {
  const labels = Object.fromEntries(fields.map((field) => [field.name, field.label]));
  const content = html`<section>
    <h1>${title}</h1>
    ${refusal !== undefined && notice('That did not work', refusal.text)}
    ${problemSummary(problems, labels)} ${text !== undefined && html`<p>${text}</p>`}
    ${postForm({ path }, '', [
      fields.map((field) => textField(field, problems)),
      html`<button type="submit">${button}</button>`,
    ])}
  </section>`;
  const isWrong = Object.keys(problems).length > 0;
  return { title, content, status: refusal?.status ?? (isWrong ? 400 : 200), isVisit: true };
}
