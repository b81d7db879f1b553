/** Writes the types of a judging's record, `src/run/record-schema.d.ts`, from its JSON Schema. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  default?: unknown;
  [key: string]: unknown;
}

const web = join(import.meta.dirname, '..');
const { $defs, $id, $schema, ...line } = JSON.parse(
  readFileSync(join(web, '../docs/schemas/judge-record-2.json'), 'utf8').replaceAll(
    '#/$defs/',
    '#/components/schemas/',
  ),
) as Schema & { $defs: Record<string, Schema> };

/** What has a default may be absent in older records; and what stands next to a `$ref` is lost unless both are in an `allOf`. */
function adapted(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(adapted);
  if (typeof schema !== 'object' || schema === null) return schema;
  const all = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, adapted(value)])) as Schema;
  const { properties } = all;
  if (properties) all.required = all.required?.filter((name) => !('default' in (properties[name] ?? {})));
  const { $ref, description, ...beside } = all;
  return $ref && properties ? { description, allOf: [{ $ref }, beside] } : all;
}

const schemas = adapted({ ...$defs, RecordLine: line }) as never;
const types = await openapiTS(
  { openapi: '3.1.0', info: { title: 'record', version: '2' }, components: { schemas } },
  { defaultNonNullable: false },
);
writeFileSync(join(web, 'src/run/record-schema.d.ts'), astToString(types));
