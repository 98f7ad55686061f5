#include "store/statement.h"

const char *const statement_sql[STATEMENT_COUNT] = {
#define STATEMENT_SQL(id, sql) sql,
    STATEMENT_TABLE(STATEMENT_SQL)
#undef STATEMENT_SQL
};
