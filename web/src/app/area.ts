import type { ComponentType, ReactNode } from 'react';
import type { RouteObject } from 'react-router';
import type common from '../i18n/en.json';
import type { Role } from './session';

/** An entry of the navigation. */
export interface NavItem {
  /** Relative to `/contests/ID/`, or to `/` for those of no contest. */
  to: string;
  /** Its text is `nav.LABEL` of the common dictionary, so that it is there before the area is loaded. */
  label: keyof (typeof common)['nav'];
  /** Roles that see it; all if absent. */
  roles?: readonly Role[];
  /** Shown after the text, such as the number of unread ones. Lazy, so that others do not load it. */
  Badge?: ComponentType;
  /** Wraps the entry, and renders it only where there is something to show. Lazy as well. */
  Only?: ComponentType<{ children: ReactNode }>;
}

/** A part of the page: its `routes.tsx` exports one, and `app/routes.tsx` lists it. */
export interface Area {
  /** Below `/contests/:contest/`. */
  contestRoutes?: RouteObject[];
  /** Below `/`. */
  rootRoutes?: RouteObject[];
  contestNav?: NavItem[];
  /** Runs with every view of a contest and renders nothing, such as notifications. */
  watch?: { roles: readonly Role[]; Component: ComponentType };
  rootNav?: NavItem[];
}
