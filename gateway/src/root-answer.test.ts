import { rootAnswer } from './root-answer';

test.each(['text/html', 'application/xhtml+xml, text/html;q=0.9, */*;q=0.8', 'TEXT/HTML'])(
  'a browser that accepts %j is redirected to the dashboard',
  (accept) => {
    expect(rootAnswer(accept, '1.2.3')).toEqual({
      status: 302,
      headers: { Location: '/dashboard', Vary: 'Accept' },
    });
  },
);

test.each([undefined, '', '*/*', 'application/json', 'text/htmlish', 'x-text/html'])(
  'a program that accepts %j gets the release and the addresses of the documentation',
  (accept) => {
    expect(rootAnswer(accept, '1.2.3')).toEqual({
      status: 200,
      body: {
        name: 'billing',
        version: '1.2.3',
        documentation: '/docs',
        openapi: '/openapi.json',
        llms: '/llms.txt',
      },
      headers: { Vary: 'Accept' },
    });
  },
);
