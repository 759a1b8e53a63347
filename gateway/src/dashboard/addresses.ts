/** Where operators work. */
export const dashboardPath = '/dashboard';
/** Where they come in; whoever is not signed in does so at any other page as well. */
export const signInPath = '/dashboard/sign-in';
