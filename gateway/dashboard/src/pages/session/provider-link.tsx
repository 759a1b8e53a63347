import { addressOf } from '../../api/client';
import { useSignInWays } from './sign-in-ways';

/** Sign-in with the organization's identity provider, if any; returns to the requested page. */
export function ProviderLink() {
  const provider = useSignInWays()?.provider ?? null;
  if (provider === null) return null;
  const { pathname, search } = window.location;
  return (
    <p>
      <a className="button" href={addressOf(provider.path, { returnTo: `${pathname}${search}` })}>
        Sign in with {provider.label}
      </a>
    </p>
  );
}
