import { ApiProblem } from '../../api/problem';
import { metadataToType, metadataValueText, typedMetadata } from './metadata-text';

test('metadata that is formatted for editing parses to the same metadata', () => {
  const metadata = {
    team: 'research',
    seats: 12,
    ratio: -0.5,
    vip: true,
    gone: null,
    code: '0012',
    zip: '12345',
    word: 'true',
    blank: '',
    padded: ' x ',
    lines: 'one\ntwo',
    url: 'https://example.com',
    quoted: '"so"',
  };
  expect(typedMetadata(metadataToType(metadata))).toEqual(metadata);
});

test('lines are parsed with or without spaces and quotes', () => {
  expect(typedMetadata('\n team : research \n\nseats: 3\nzip: "12345"\nnote:\n')).toEqual({
    team: 'research',
    seats: 3,
    zip: '12345',
    note: '',
  });
});

test.each(['team', ': research', 'team: "open'])(
  'the invalid line %s is an error of its field',
  (typed) => {
    const refused = () => typedMetadata(typed);
    expect(refused).toThrow(ApiProblem);
    expect(refused).toThrow('Please fix the fields below');
  },
);

test('metadata values are shown as JSON or plain text', () => {
  expect(['a', 1, true, null].map(metadataValueText)).toEqual(['a', '1', 'true', 'null']);
});
