import { area as board } from '../board/routes';
import { area as jury } from '../jury/routes';
import { area as machines } from '../machines/routes';
import { area as organizer } from '../organizer/routes';
import { area as resolver } from '../resolver/routes';
import { area as run } from '../run/routes';
import { area as stream } from '../stream/routes';
import { area as team } from '../team/routes';
import type { Area } from './area';

/** In the order of the navigation. */
export const areas: Area[] = [board, stream, team, jury, organizer, resolver, machines, run];
