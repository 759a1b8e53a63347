import { invalidInput } from './domain-error';

// RFC 5321, 4.5.3.1: a path is at most 256 characters with its angle brackets, a local part at most
// 64.
const lengthMax = 254;
const localPartLengthMax = 64;

// RFC 5322's dot-atom.
const localPart = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const domain =
  /^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$/;

/**
 * Removes the space around an email address. Accepts addresses that every mail system accepts: a
 * dot-atom, and a domain name with a dot. An international domain is in its ASCII form. Throws
 * invalid_input under `email` for any other text.
 */
export function parseEmailAddress(text: string): string {
  const address = text.trim();
  if (!isEmailAddress(address)) throw invalidInput({ email: ['Invalid email'] });
  return address;
}

function isEmailAddress(address: string): boolean {
  if (address.length > lengthMax) return false;
  const at = address.lastIndexOf('@');
  const local = address.slice(0, Math.max(at, 0));
  return (
    local.length <= localPartLengthMax &&
    localPart.test(local) &&
    domain.test(address.slice(at + 1))
  );
}
