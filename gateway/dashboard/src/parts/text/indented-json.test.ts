import { indentedJson } from './indented-json';

test.each([
  ['{"a":{"b":1}}', '{\n  "a": {\n    "b": 1\n  }\n}'],
  ['<p>Bad gateway</p>', '<p>Bad gateway</p>'],
  ['', ''],
])('the body %j is shown as %j', (text, shown) => {
  expect(indentedJson(text)).toBe(shown);
});
