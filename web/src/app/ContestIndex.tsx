import { Navigate } from 'react-router';
import { homeOf, useRole } from './session';

/** The address of a contest leads to the view with which its viewer begins. */
export function ContestIndex() {
  return <Navigate to={homeOf(useRole())} replace />;
}
