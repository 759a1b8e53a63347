import { hostMissing, refusalBytes, refusalOf } from './refusal';

test.each([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'timed_out'],
  ['HPE_HEADER_OVERFLOW', 431, 'request_too_large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413, 'request_too_large'],
  ['HPE_INVALID_METHOD', 400, 'invalid_request'],
  [undefined, 400, 'invalid_request'],
])('the parser error %s is refused with %d', (errorCode, status, code) => {
  expect(refusalOf(errorCode)).toMatchObject({ status, code });
});

test('a refusal is a complete response that closes the connection', () => {
  expect(refusalBytes(hostMissing, { 'X-Request-Id': 'r' })).toBe(
    [
      'HTTP/1.1 400 Bad Request',
      'X-Request-Id: r',
      'Content-Type: application/json; charset=utf-8',
      'Content-Length: 39',
      'Error-Code: invalid_request',
      'Connection: close',
      '',
      '{"error":"The header Host is required"}',
    ].join('\r\n'),
  );
});
