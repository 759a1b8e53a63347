/** Where operators work. */
export const dashboardPath = '/dashboard';
/** Where pages of the dashboard ask what the public API does not tell. */
export const operatorApiPath = '/dashboard/api';
/** Where they come in; whoever is not signed in does so at any other page as well. */
export const signInPath = '/dashboard/sign-in';
