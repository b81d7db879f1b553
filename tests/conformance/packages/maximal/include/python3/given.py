DISTANCE = {{distance}}
