import type { ComponentType, ReactNode } from 'react';
import type { RouteObject } from 'react-router';
import type common from '../i18n/en.json';
import type { Role } from './session';

/** An entry of the navigation. */
export interface NavItem {
  /** Relative to `/contests/ID/`, or to `/` for those of no contest. */
  to: string;
  /** Its words are `nav.LABEL` of the common dictionary, so that they are there before the area is. */
  label: keyof (typeof common)['nav'];
  /** Who sees it; everybody if absent. */
  roles?: readonly Role[];
  /** What stands after the words, such as how many are unread. Lazy, so that others do not load it. */
  Badge?: ComponentType;
  /** Shows the entry only where there is something behind it. Lazy as well. */
  Only?: ComponentType<{ children: ReactNode }>;
}

/** A part of the page: its `routes.tsx` exports one, and `app/routes.tsx` lists it. */
export interface Area {
  /** Below `/contests/:contest/`. */
  contestRoutes?: RouteObject[];
  /** Below `/`. */
  rootRoutes?: RouteObject[];
  contestNav?: NavItem[];
  /** What runs beside every view of a contest and shows nothing itself, such as notifications. */
  watch?: { roles: readonly Role[]; Component: ComponentType };
  rootNav?: NavItem[];
}
