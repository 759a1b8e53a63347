import { useQuery } from '@tanstack/react-query';
import { addressOf, send } from '../../api/client';

interface SignInWays {
  readonly provider: { readonly label: string; readonly path: string } | null;
}

/** Sign-in with the organization's identity provider, if any; returns to the requested page. */
export function ProviderLink() {
  const ways = useQuery({
    queryKey: ['sign-in-ways'],
    queryFn: async ({ signal }) =>
      (await send({ path: '/dashboard/api/sign-in-ways', signal })) as SignInWays,
  });
  const provider = ways.data?.provider ?? null;
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
