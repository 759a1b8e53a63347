import { useQuery } from '@tanstack/react-query';
import { addressOf, send } from '../../api/client';

interface SignInWays {
  readonly provider: { readonly label: string; readonly path: string } | null;
}

/** The way in by the organisation's identity provider, where there is one; back to the page that was wanted. */
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
