import { problemText } from '../../text/problem-text';
import { joined, type Reader, type Text } from '@billing/documents/reader';
import { say } from '@billing/documents/say';
import { type Html, html, type HtmlValue, local } from './html';

const textLengthMax = 255;

/** Problems of a form: messages by field. */
export type FormProblems = Readonly<Record<string, readonly string[]>>;

/** Target of a page's forms. */
export interface FormPlace {
  readonly path: string;
  /** CSRF token. Public pages need none, since their URL is secret. */
  readonly formToken?: string | undefined;
}

/** Name of the hidden field with the form token. */
export const formTokenField = 'form_token';

/** Form that is posted to a step below its page. */
export function postForm({ path, formToken }: FormPlace, step: string, content: HtmlValue): Html {
  return html`<form method="post" action="${local(`${path}${step}`)}">
    ${formToken !== undefined && html`<input type="hidden" name="${formTokenField}" value="${formToken}" />`}
    ${content}
  </form>`;
}

/** A text field of a form. */
export interface TextField {
  readonly name: string;
  readonly label: Text;
  readonly autocomplete: string;
  readonly type?: 'email' | 'password';
  readonly inputMode?: 'numeric' | 'email';
  readonly hint?: Text;
  readonly lengthMax: number;
  /** Initial value; never part of a card or a password. */
  readonly value?: string;
  readonly isOptional?: boolean;
}

/** Field with its label, hint and problems, linked for screen readers. */
export function textField(field: TextField, problems: FormProblems = {}): Html {
  const { name, autocomplete, type, inputMode, lengthMax, value = '' } = field;
  return labeled(
    field,
    problems,
    (state) =>
      html`<input
        id="${name}"
        name="${name}"
        ${type !== undefined && html` type="${type}"`}
        ${inputMode !== undefined && html` inputmode="${inputMode}"`}
        autocomplete="${autocomplete}"
        maxlength="${String(lengthMax)}"
        ${value !== '' && html` value="${value}"`}
        spellcheck="false"
        autocapitalize="off"
        ${state}
      />`,
  );
}

/** A whole number with steps; the browser checks the bounds, too. */
export interface NumberField extends Pick<TextField, 'name' | 'label' | 'hint' | 'value'> {
  readonly min: number;
  readonly max: number;
}

/** Number field with its label, hint and problems. */
export function numberField(field: NumberField, problems: FormProblems = {}): Html {
  const { name, min, max } = field;
  return labeled(
    field,
    problems,
    (state) =>
      html`<input
        id="${name}"
        name="${name}"
        type="number"
        inputmode="numeric"
        autocomplete="off"
        min="${String(min)}"
        max="${String(max)}"
        required
        value="${field.value ?? ''}"
        ${state}
      />`,
  );
}

/** A choice of one value from a list. */
export interface SelectField extends Pick<
  TextField,
  'name' | 'label' | 'hint' | 'value' | 'autocomplete' | 'isOptional'
> {
  /** True if the shown texts are sent, which keeps a long list short. */
  readonly sendsTexts?: boolean;
  /** Values and their texts, in the order of the reader. */
  readonly choices: (reader: Reader) => readonly (readonly [string, string])[];
}

/** Selection with its label, hint and problems; nothing is preselected without a value. */
export function selectField(field: SelectField, problems: FormProblems = {}): Html {
  const { name, autocomplete, choices, sendsTexts = false, value = '' } = field;
  return labeled(
    field,
    problems,
    (state) =>
      html`<select id="${name}" name="${name}" autocomplete="${autocomplete}" ${state}>
        ${(reader) => [['', ''] as const, ...choices(reader)].map((choice) => option(choice, { value, sendsTexts }))}
      </select>`,
  );
}

function option(
  [value, text]: readonly [string, string],
  { value: selected, sendsTexts }: { readonly value: string; readonly sendsTexts: boolean },
): Html {
  // Optional end tags would double the size of a long list.
  // prettier-ignore
  return html`<option${!sendsTexts && html` value="${value}"`}${value === selected && html` selected`}>${text}`;
}

/** `control` gets the attributes that link it to its hint and problems. */
function labeled(
  {
    name,
    label,
    hint,
    isOptional = false,
  }: Pick<TextField, 'name' | 'label' | 'hint' | 'isOptional'>,
  problems: FormProblems,
  control: (state: HtmlValue) => Html,
): Html {
  const messages = problems[name] ?? [];
  const isWrong = messages.length > 0;
  const described = [hint !== undefined && `${name}-hint`, isWrong && `${name}-error`].filter(
    Boolean,
  );
  return html`<div class="field">
    <label for="${name}"
      >${label}${isOptional && html` <span class="hint">${say('form.optional')}</span>`}</label
    >
    ${hint !== undefined && html`<span class="hint" id="${name}-hint">${hint}</span>`}
    ${isWrong && html`<span class="error" id="${name}-error">${problemsText(messages)}</span>`}
    ${control([
      described.length > 0 && html` aria-describedby="${described.join(' ')}"`,
      isWrong && html` aria-invalid="true"`,
    ])}
  </div>`;
}

/** Summary of all problems above the form, initially focused, with links to the fields. */
export function problemSummary(
  problems: FormProblems,
  labels: Readonly<Record<string, Text>>,
): Html | undefined {
  const entries = Object.entries(problems).filter(([, messages]) => messages.length > 0);
  if (entries.length === 0) return undefined;
  const items = entries.map(([name, messages]) => {
    const label = labels[name] ?? say('form.form');
    const text = say('labeled', { label, text: problemsText(messages) });
    return html`<li><a href="#${name}">${text}</a></li>`;
  });
  return html`<div class="problem" role="alert" tabindex="-1" autofocus>
    <h2>${say('form.fixFields')}</h2>
    <ul>
      ${items}
    </ul>
  </div>`;
}

/** All problems of a field in words. */
export function problemsText(problems: readonly string[]): Text {
  return joined(problems.map(problemText), '. ');
}

/** Notice about a previous failure. */
export function notice(title: Text, text: Text): Html {
  return html`<div class="problem" role="alert" tabindex="-1" autofocus>
    <h2>${title}</h2>
    <p>${text}</p>
  </div>`;
}

/** Text of a query parameter or hidden field; undefined if missing or invalid. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= textLengthMax
    ? value
    : undefined;
}
