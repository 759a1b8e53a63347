import { parseCurrency } from './currency';
import { type DomainError } from './domain-error';
import {
  type InputProblems,
  lineProblems,
  problemsOfParsing,
  refuseProblems,
  textProblems,
  wholeNumberProblems,
} from './input-problems';

describe('refusing an input', () => {
  test('names every field that has problems and no other field', () => {
    const problems = { name: ['Required'], amount: [], tags: ['Too many', 'Too long'] };
    let refusal: unknown;
    try {
      refuseProblems(problems);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({
      kind: 'invalid_input',
      fields: { name: ['Required'], tags: ['Too many', 'Too long'] },
    });
    expect(Object.keys((refusal as DomainError).fields ?? {})).toEqual(['name', 'tags']);
  });

  test.each<InputProblems>([{}, { name: [] }])(
    'does not happen if no field has problems: %j',
    (problems) => {
      expect(() => {
        refuseProblems(problems);
      }).not.toThrow();
    },
  );
});

describe('parse problems', () => {
  test('are empty for a valid input', () => {
    expect(problemsOfParsing(() => parseCurrency('usd'))).toEqual([]);
  });

  test('are the messages of the error, regardless of the field that it names', () => {
    expect(problemsOfParsing(() => parseCurrency('dollars', 'price'))).toEqual([
      'Invalid currency',
    ]);
  });

  test('do not include bugs, which are thrown', () => {
    const parse = () => {
      throw new TypeError('a bug');
    };
    expect(() => problemsOfParsing(parse)).toThrow(new TypeError('a bug'));
  });
});

describe('the problems of a text', () => {
  test.each([
    ['the longest', 'abc', []],
    ['an empty one where none is required', '', []],
    ['one character too long', 'abcd', ['Must be at most 3 characters']],
  ])('%s', (_case, text, problems) => {
    expect(textProblems(text, { max: 3 })).toEqual(problems);
  });

  test.each([
    ['the shortest', 'a', []],
    ['an empty one', '', ['Required']],
  ])('of a required text: %s', (_case, text, problems) => {
    expect(textProblems(text, { min: 1, max: 3 })).toEqual(problems);
  });
});

describe('the problems of a whole number', () => {
  const refused = ['Must be a whole number from 0 to 730'];

  test.each([
    ['the smallest', 0, []],
    ['the largest', 730, []],
    ['one below', -1, refused],
    ['one beyond', 731, refused],
    ['a fraction', 1.5, refused],
    ['no number', Number.NaN, refused],
    ['infinity', Number.POSITIVE_INFINITY, refused],
    ['a huge one', Number.MAX_VALUE, refused],
  ])('%s', (_case, value, problems) => {
    expect(wholeNumberProblems(value, { min: 0, max: 730 })).toEqual(problems);
  });
});

test.each(['\u0000', '\t', 'a\r\nb', '\u001b[31m', '\u007f', '\u0085'])(
  'a text of one line must not contain the control characters of %j',
  (text) => {
    expect(lineProblems(text, { max: 10 })).toEqual(['Must not contain control characters']);
  },
);

test.each(['Ünï çødé', 'नमस्ते', '👩\u200d💻', ''])('a text of one line may be %j', (text) => {
  expect(lineProblems(text, { max: 20 })).toEqual([]);
});

test('a text of one line has the limits of any text', () => {
  expect(lineProblems('', { min: 1, max: 2 })).toEqual(['Required']);
  expect(lineProblems('a\tb', { max: 2 })).toEqual([
    'Must be at most 2 characters',
    'Must not contain control characters',
  ]);
});
