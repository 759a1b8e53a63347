import { brokenLinks } from './links';

const other = { path: '/docs/b', rendered: { anchors: ['b', 'part'], links: [] } };

test.each([
  ['b.md', true],
  ['b.md#part', true],
  ['/docs/b#part', true],
  ['#a', true],
  ['/openapi.json', true],
  ['https://example.com/', true],
  ['b.md#other', false],
  ['#b', false],
  ['c.md', false],
  ['/docs/c', false],
  ['/v1/customers', false],
  ['http://example.com/', false],
  ['b', false],
])('a link to %s is good: %s', (link, isGood) => {
  const page = { path: '/docs/a', rendered: { anchors: ['a'], links: [link] } };
  expect(brokenLinks([page, other])).toEqual(isGood ? [] : [`/docs/a: ${link}`]);
});
