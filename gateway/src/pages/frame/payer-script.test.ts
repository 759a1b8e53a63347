import { runInNewContext } from 'node:vm';
import { cardScript } from './payer-script';

interface Input {
  value: string;
  selectionStart: number;
  setSelectionRange: (start: number) => void;
  addEventListener: (kind: string, listener: (event: { inputType: string }) => void) => void;
}

/** The expiry field of a page on which the script runs. */
function expiryField(value = '') {
  const listeners: ((event: { inputType: string }) => void)[] = [];
  const input: Input = {
    value,
    selectionStart: value.length,
    setSelectionRange: (start) => {
      input.selectionStart = start;
    },
    addEventListener: (_kind, listener) => listeners.push(listener),
  };
  const document = { getElementById: (id: string) => (id === 'expiry' ? input : null) };
  runInNewContext(cardScript.source, { document });
  const change = (text: string, caret: number, inputType: string) => {
    input.value = text;
    input.selectionStart = caret;
    for (const listener of listeners) listener({ inputType });
  };
  return {
    input,
    type: (text: string) => {
      for (const letter of text) {
        const [before, after] = [
          input.value.slice(0, input.selectionStart),
          input.value.slice(input.selectionStart),
        ];
        change(`${before}${letter}${after}`, before.length + 1, 'insertText');
      }
    },
    paste: (text: string) => {
      change(text, text.length, 'insertFromPaste');
    },
    /** Deletes the character before the caret. */
    delete: () => {
      const at = input.selectionStart;
      const text = `${input.value.slice(0, at - 1)}${input.value.slice(at)}`;
      change(text, at - 1, 'deleteContentBackward');
    },
  };
}

const cases: readonly [string, string][] = [
  ['1228', '12/28'],
  ['12/28', '12/28'],
  ['12/2028', '12/2028'],
  ['122028', '12/2028'],
  ['0128', '01/28'],
  ['128', '12/8'],
  ['1/28', '01/28'],
  ['1/2028', '01/2028'],
  ['1 / 28', '01/28'],
  ['1-28', '01/28'],
  ['1.28', '01/28'],
  ['928', '09/28'],
  ['9/28', '09/28'],
  ['12 / 28', '12/28'],
];

describe('an expiry date', () => {
  test.each(cases)('typed as %s reads %s', (typed, shown) => {
    const field = expiryField();
    field.type(typed);
    expect([field.input.value, field.input.selectionStart]).toEqual([shown, shown.length]);
  });

  test.each(cases)('pasted as %s reads %s, as does one of the page', (text, shown) => {
    const field = expiryField();
    field.paste(text);
    expect(field.input.value).toBe(shown);
    expect(expiryField(text).input.value).toBe(shown);
  });

  test('is deleted character by character', () => {
    const field = expiryField('1/28');
    const shown = Array.from({ length: 4 }, () => {
      field.delete();
      return field.input.value;
    });
    expect(shown).toEqual(['01/2', '01', '0', '']);
  });

  test('keeps a month whose first digit is replaced', () => {
    const field = expiryField('01/28');
    field.input.selectionStart = 1;
    field.delete();
    expect(field.input.value).toBe('1/28');
    field.type('1');
    expect([field.input.value, field.input.selectionStart]).toEqual(['11/28', 1]);
  });

  test('with other characters is left as it was typed', () => {
    const field = expiryField();
    field.paste('Jan 28');
    expect(field.input.value).toBe('Jan 28');
  });
});
