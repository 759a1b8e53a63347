import { useQuery } from '@tanstack/react-query';
import { send } from '../../api/client';

interface SignInWays {
  readonly provider: { readonly label: string; readonly path: string } | null;
  /** True if an operator can get a link by email that sets a new password. */
  readonly passwordReset: boolean;
}

/** Ways to sign in, once they are known. */
export function useSignInWays(): SignInWays | undefined {
  return useQuery({
    queryKey: ['sign-in-ways'],
    queryFn: async ({ signal }) =>
      (await send({ path: '/dashboard/api/sign-in-ways', signal })) as SignInWays,
  }).data;
}
