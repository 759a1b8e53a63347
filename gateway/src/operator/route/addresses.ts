/** Path of the dashboard. */
export const dashboardPath = '/dashboard';
/** Path of the operator API, which serves the dashboard what the public API does not. */
export const operatorApiPath = '/dashboard/api';
/** Path of the sign-in page; every other page also offers the sign-in. */
export const signInPath = '/dashboard/sign-in';
